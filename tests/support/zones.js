// The number of a test run, and its time zones, which change places with it.
const DAY_MS = 86_400_000;

/** The number of this run: another one every day. `PF_TEST_RUN` repeats the run of a number. */
export const RUN = Number(process.env.PF_TEST_RUN || Math.floor(Date.now() / DAY_MS));

const WEST = 'America/New_York';
const EAST = 'Asia/Kolkata';

/** The zone in which every page of the contract is tested. */
export const FIRST_ZONE = RUN % 2 === 0 ? WEST : EAST;

/** The zone in which the pages about rows and dates are tested again. */
export const SECOND_ZONE = RUN % 2 === 0 ? EAST : WEST;
