/** Handlers of endpoints that make tables from files. */
import type { FILE_ENDPOINTS } from '../../contract/endpoints/files';
import { targetOf, withFile } from '../http/file-body';
import { files, previewFile, tableFromFile } from '../services/setup/files';
import type { Handlers } from './asked';

export const fileHandlers: Handlers<typeof FILE_ENDPOINTS> = {
  'GET /files': ({ locals }) => files(locals.config.fileLimit),
  'POST /files/preview': ({ event, db, query }) => {
    const target = targetOf(query);
    return withFile(event, query, (file) => previewFile(db, file, target));
  },
  'POST /files': ({ event, db, query }) => {
    const target = targetOf(query);
    const misfits = query.misfits ?? 'refuse';
    return withFile(event, query, (file) => tableFromFile(db, file, misfits, target));
  },
};
