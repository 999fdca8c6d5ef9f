/** A service that signs people in, and a table whose regions people may read parts of. */
import type { TableColumn } from './planned';

/** The settings of the service. */
export const SIGNED_IN = {
  PF_USER_HEADER: 'X-Forwarded-User',
  PF_GROUPS_HEADER: 'X-Forwarded-Groups',
  PF_PLANNERS: 'planners',
  PF_ADMINS: 'admins',
  // Rows have a tag if the server caches them.
  PF_KEEP_ENTRIES: '1',
};

/** The columns of the table. */
export const REGIONAL: TableColumn[] = [
  { name: 'Day', type: 'date', role: 'date', grain: true },
  { name: 'Region', type: 'text', role: 'dimension', grain: true },
  { name: 'Product', type: 'text', role: 'dimension', grain: true },
  { name: 'Sales', type: 'numeric(12,2)', role: 'value' },
];

/** The headers that name a person to the service. */
export const signedIn = (user: string, groups = 'planners') => ({
  'x-forwarded-user': user,
  'x-forwarded-groups': groups,
});
