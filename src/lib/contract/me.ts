/** The signed-in person, and the roles of people. */
import * as v from 'valibot';
import { pfUser } from './primitives';

/** Roles of people, lowest first; each role includes the previous ones. */
export const ROLES = ['reader', 'planner', 'admin'] as const;
export type Role = (typeof ROLES)[number];

/**
 * The sender of a request (docs/contract/20-who-is-signed-in.md). The user is null if the service signs
 * nobody in.
 */
export const Me = v.object({ user: v.nullable(pfUser), roles: v.array(v.picklist(ROLES)) });
export type Me = v.InferOutput<typeof Me>;
