"""Operations one at a time: one file for each family."""
