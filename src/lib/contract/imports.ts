/** Imports: the cells of a file that was changed elsewhere, and what they would change. */
import * as v from 'valibot';
import { amounts, checkAmounts } from './amounts';
import {
  atMost,
  byColumn,
  filledText,
  number,
  pfUser,
  note,
  Totals,
  wouldWrite,
} from './primitives';
import { AskedSlice, Slice } from './slices';

/** Maximum number of cells of one import. */
export const MOST_IMPORTED = 20_000;

/** Number of edits of an import that lists of entries have. */
export const LISTED_EDITS = 20;

/** The body of an import may be this many times as long as other bodies. */
export const IMPORT_BODY_LIMIT = 8;

/** The file that was read. */
const ImportedFile = v.object({
  name: v.pipe(filledText, v.maxLength(255, 'must be at most 255 characters')),
  sha256: v.pipe(
    v.string(),
    v.regex(/^[0-9a-f]{64}$/, 'must be 64 hexadecimal digits in lower case'),
    v.description('SHA-256 of the bytes of the file, in hexadecimal digits'),
  ),
});

/** The amounts of a cell: for each measure either its new total, or an increment. */
const { value_incr, units_incr } = amounts;
const totalOf = (role: string) =>
  v.optional(
    v.nullable(v.pipe(number, v.description(`What the ${role} total of the cell becomes`))),
  );
const cellAmounts = {
  value_total: totalOf('value'),
  units_total: totalOf('units'),
  value_incr,
  units_incr,
};

const Imported = v.pipe(
  v.object({
    total: totalOf('measure'),
    incr: v.optional(
      v.nullable(v.pipe(number, v.description("Amount added to the measure's total"))),
    ),
  }),
  v.check(({ total, incr }) => (total == null) !== (incr == null), 'needs either total or incr'),
);

/** One cell of an import. */
export const ImportEdit = v.pipe(
  v.object({
    slice: AskedSlice,
    ...cellAmounts,
    seen: v.optional(
      v.nullable(
        v.pipe(
          v.string(),
          v.description('The state of the cell in a preview: another one is a 409'),
        ),
      ),
    ),
    measures: v.optional(
      v.nullable(
        v.pipe(
          byColumn(Imported),
          v.description('Amounts of further measures by column: total or incr'),
        ),
      ),
    ),
  }),
  v.rawCheck(checkAmounts),
);
export type ImportEdit = v.InferOutput<typeof ImportEdit>;

const edits = v.pipe(
  v.array(ImportEdit),
  v.minLength(1, 'must not be an empty list'),
  atMost(MOST_IMPORTED),
  v.description('The changed cells. No two of them may change a measure of the same row'),
);

const entryId = (description: string) =>
  v.optional(
    v.nullable(v.pipe(v.number(), v.safeInteger(), v.minValue(0), v.description(description))),
  );

/** Body of POST import (docs/contract/05-operations.md#post-versionsidimport). */
export const ImportRequest = v.object({
  file: ImportedFile,
  edits,
  seen: entryId(
    'The newest entry that the cells were compared with: a later one in a cell is a 409',
  ),
  pf_user: pfUser,
  note: v.optional(v.nullable(note)),
});
export type ImportRequest = v.InferOutput<typeof ImportRequest>;

const stored = v.optional(number);

/** The stored request of an import. */
export const ImportParams = v.object({
  file: ImportedFile,
  edits: v.array(
    v.object({
      slice: Slice,
      ...{ value_total: stored, units_total: stored, value_incr: stored, units_incr: stored },
      measures: v.optional(byColumn(v.object({ total: stored, incr: stored }))),
    }),
  ),
  edit_count: v.pipe(
    v.optional(number),
    v.description(
      `Only in lists: the number of edits, if there are more than the first ${LISTED_EDITS}`,
    ),
  ),
});
export type ImportParams = v.InferOutput<typeof ImportParams>;

/** Body of POST import/preview (docs/contract/05-operations.md#post-versionsidimportpreview). */
export const ImportPreviewRequest = v.object({
  edits,
  since: entryId('The newest entry that the file knows: later ones are listed by cell'),
  pf_user: v.optional(wouldWrite),
});
export type ImportPreviewRequest = v.InferOutput<typeof ImportPreviewRequest>;

const REFUSALS = ['no_rows', 'excluded', 'locked', 'read_only'] as const;

/**
 * A cell of an import: the totals of its slice, why it cannot be changed, and what later entries added to it. The
 * total of a measure that the source does not have is null.
 */
const ImportCell = v.object({
  ...Totals.entries,
  refusal: v.pipe(
    v.nullable(v.picklist(REFUSALS)),
    v.description(
      'Why the cell cannot be changed: no row, only rows that operations skip, every row locked, or a row that the sender may only read',
    ),
  ),
  state: v.pipe(
    v.string(),
    v.description('Differs once rows are added or removed, or a total changes: seen of an edit'),
  ),
  entries: v.optional(
    v.pipe(
      v.array(v.object({ logid: v.number(), ...Totals.entries })),
      v.description('Only with since: what each later entry added to the cell, oldest first'),
    ),
  ),
});
export type ImportCell = v.InferOutput<typeof ImportCell>;

/** Answer of POST import/preview. */
export const ImportPreview = v.object({
  cells: v.pipe(v.array(ImportCell), v.description('One for each edit, in their order')),
  newest: v.pipe(v.number(), v.description('The newest entry of the version; 0 if there is none')),
});
export type ImportPreview = v.InferOutput<typeof ImportPreview>;
