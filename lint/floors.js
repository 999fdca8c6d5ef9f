/**
 * The rooms of a folder of `src/lib`, from the ground up: each may import the rooms before it that are not on
 * its own floor. A room is a folder or a file.
 */
export const FLOORS = {
  pivot: [
    ['values', 'waiting'],
    ['rows', 'slice'],
    ['layout'],
    ['grid', 'chart'],
    ['table', 'excel', 'print'],
    ['pivot-parts'],
    ['pivot'],
  ],
  plan: [
    ['amounts'],
    ['version'],
    ['selection'],
    ['records'],
    ['arrangement'],
    ['changes', 'forms'],
    ['typing', 'workbook'],
    ['tell'],
    ['session.svelte'],
    ['workbook-origin', 'actions'],
  ],
  'server/db': [
    ['connection'],
    ['totals', 'calendar'],
    ['people'],
    ['setup'],
    ['versions'],
    ['loads', 'log', 'database'],
  ],
  'server/services': [
    ['client-faults', 'version'],
    ['reading'],
    ['entries'],
    ['operations', 'people', 'setup'],
    ['loads'],
    ['replay'],
  ],
  'pivot/grid': [
    ['cells'],
    ['views'],
    ['shown'],
    ['drawing', 'marks'],
    ['reading', 'mouse'],
    ['grid'],
  ],
  'components/pivot': [
    ['text'],
    ['arrange', 'chart', 'forms', 'log', 'people'],
    ['grid', 'panel', 'toolbar'],
    ['page'],
  ],
};
