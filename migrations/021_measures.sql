-- Further measures beside value and units: a role of columns, and their totals of undone entries by column. Servers
-- of earlier builds cannot read a column with the role.

ALTER TABLE pf.col_meta
  DROP CONSTRAINT IF EXISTS col_meta_role_check,
  ADD CONSTRAINT col_meta_role_check
    CHECK (role IN ('dimension', 'value', 'units', 'measure', 'date', 'filter', 'ignore'));

ALTER TABLE pf.sql_column
  DROP CONSTRAINT IF EXISTS sql_column_role_check,
  ADD CONSTRAINT sql_column_role_check
    CHECK (role IN ('dimension', 'value', 'units', 'measure', 'date'));

ALTER TABLE pf.undone ADD COLUMN measures jsonb;
