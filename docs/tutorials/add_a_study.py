# %% [markdown]
# # add_a_study
