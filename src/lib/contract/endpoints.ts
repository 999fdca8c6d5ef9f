/** Every endpoint of the service. */
import { COMMENT_ENDPOINTS } from './endpoints/comments';
import type { Endpoint } from './endpoints/endpoint';
import { FILE_ENDPOINTS } from './endpoints/files';
import { LOG_ENDPOINTS } from './endpoints/log';
import { REVIEW_ENDPOINTS } from './endpoints/reviews';
import { ROW_ENDPOINTS } from './endpoints/rows';
import { SERVICE_ENDPOINTS } from './endpoints/service';
import { SOURCE_ENDPOINTS } from './endpoints/sources';
import { TERRITORY_ENDPOINTS } from './endpoints/territories';
import { VERSION_ENDPOINTS } from './endpoints/versions';

/**
 * Every endpoint of the service, in the order in which a plan uses them (docs/contract/11-endpoints.md). The
 * OpenAPI document is generated from this list.
 */
export const ENDPOINTS: readonly Endpoint[] = [
  ...SERVICE_ENDPOINTS,
  ...FILE_ENDPOINTS,
  ...SOURCE_ENDPOINTS,
  ...TERRITORY_ENDPOINTS,
  ...VERSION_ENDPOINTS,
  ...ROW_ENDPOINTS,
  ...LOG_ENDPOINTS,
  ...COMMENT_ENDPOINTS,
  ...REVIEW_ENDPOINTS,
];
