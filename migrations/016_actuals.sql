-- Months closed on actuals: an operation with a lock of its own, which is deleted with its entry. Servers of
-- earlier builds cannot read such an entry, and would let people delete its lock.

ALTER TABLE pf.log
  DROP CONSTRAINT IF EXISTS log_operation_check,
  ADD CONSTRAINT log_operation_check
    CHECK (operation IN ('baseline', 'reference', 'scale', 'recode', 'clone', 'reverse', 'actual'));

ALTER TABLE pf.lock ADD COLUMN logid bigint REFERENCES pf.log (id) ON DELETE CASCADE;

CREATE INDEX lock_logid ON pf.lock (logid);
