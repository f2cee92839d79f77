"""What every layer may use: types of annotations, updates in one piece, borders of files, caches, progress."""
