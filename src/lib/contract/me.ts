/** Who is signed in, and the roles that a person can have. */
import * as v from 'valibot';
import { pfUser } from './primitives';

/** What a person may do, the least first; each role may do what those before it may. */
export const ROLES = ['reader', 'planner', 'admin'] as const;
export type Role = (typeof ROLES)[number];

/**
 * Who sends a request (docs/contract/20-who-is-signed-in.md). The user is null if the service signs
 * nobody in.
 */
export const Me = v.object({ user: v.nullable(pfUser), roles: v.array(v.picklist(ROLES)) });
export type Me = v.InferOutput<typeof Me>;
