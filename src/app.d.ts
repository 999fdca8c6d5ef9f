import '@sveltejs/adapter-node';
import type { Crumb } from '$lib/components/shell/Breadcrumbs.svelte';
import type { Bodies } from '$lib/server/bodies';
import type { Budget } from '$lib/server/budget';
import type { Config } from '$lib/server/config';
import type { Database } from '$lib/server/db/database';
import type { ExactTotals } from '$lib/server/db/totals/totals';
import type { EntryMonths } from '$lib/server/db/totals/month-totals';
import type { Events } from '$lib/server/event-streams';
import type { Route } from '$lib/server/http/routes';
import type { KeptTotals } from '$lib/server/kept-totals';
import type { Metrics } from '$lib/server/metrics';
import type { Refusals } from '$lib/server/refusals';
import type { Sender } from '$lib/server/sender';
import type { SliceIndexes } from '$lib/server/services/reading/slice-indexes';

declare global {
  namespace App {
    interface Error {
      message: string;
      /** HTTP status of a failed request to the service; 0 where it did not answer at all. */
      status?: number;
    }
    interface Locals {
      /** The database as the sender of the request may see it. */
      db: Database;
      config: Config;
      /** What the rows of all answers take. */
      budget: Budget;
      bodies: Bodies;
      totals: KeptTotals<ExactTotals>;
      monthTotals: KeptTotals<EntryMonths>;
      sliceIndexes: SliceIndexes;
      events: Events;
      /** The build that runs. */
      version: string;
      /** Counts refused requests for the audit. */
      refusals: Refusals;
      /** Whether the server was asked to end. */
      isEnding: boolean;
      /** Who sends the request. */
      me: Sender;
      /** What the path leads to; undefined for pages, and for a path that the API does not have. */
      route: Route | undefined;
      /** Undefined if they are turned off. */
      metrics?: Metrics;
      /** Identifies the request in the log and, as `x-request-id`, to the client. */
      requestId: string;
      /** Fields of the body that nothing has read, as `X-Body-Skipped` lists them. */
      bodySkipped?: string;
      /** The body of the request, parsed. */
      sent?: unknown;
      /** What a handler threw; the hook turns it into the answer. */
      failure?: unknown;
      /** Logs an error of the service itself, of an answer that has begun. */
      failed: (error: unknown) => void;
    }
    interface PageData {
      /** The way to the page: breadcrumbs, and the title read from its end. */
      crumbs?: Crumb[];
    }
  }
}
