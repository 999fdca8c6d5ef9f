-- Loads of a forecast: an operation that scales rows of the source to fitted amounts. Servers of earlier builds
-- cannot read such an entry.

ALTER TABLE pf.log
  DROP CONSTRAINT IF EXISTS log_operation_check,
  ADD CONSTRAINT log_operation_check
    CHECK (operation IN ('baseline', 'reference', 'forecast', 'scale', 'recode', 'clone', 'reverse', 'actual'));
