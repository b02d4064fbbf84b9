# %% [markdown]
# # measure_one_p_star
