-- An operation that takes back a part of an entry. Servers of earlier builds cannot read such an entry.

ALTER TABLE pf.log
  DROP CONSTRAINT IF EXISTS log_operation_check,
  ADD CONSTRAINT log_operation_check
    CHECK (operation IN ('baseline', 'reference', 'scale', 'recode', 'clone', 'reverse'));
