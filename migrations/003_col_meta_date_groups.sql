-- Columns that follow from a date (dim_group), and the calendar column they are derived from.

ALTER TABLE pf.col_meta
  ADD COLUMN dim_group text,
  ADD COLUMN dim_period_col text;
