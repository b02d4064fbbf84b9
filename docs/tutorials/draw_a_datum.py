# %% [markdown]
# # draw_a_datum
