# %% [markdown]
# # sensitivities
