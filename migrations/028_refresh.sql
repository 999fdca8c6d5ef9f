-- Refreshes: an operation that adds what has changed in the source since loads have read it. Servers of earlier builds
-- cannot read such an entry.

ALTER TABLE pf.log
  DROP CONSTRAINT IF EXISTS log_operation_check,
  ADD CONSTRAINT log_operation_check
    CHECK (operation IN (
      'baseline', 'reference', 'forecast', 'scale', 'recode', 'clone', 'reverse', 'actual', 'refresh', 'import'
    ));
