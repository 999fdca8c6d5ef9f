// The time zones of a test run. They change places every day, or as the number in PF_TEST_RUN says.
const DAY_MS = 86_400_000;

/** The number that decides the zones of this run; in PF_TEST_RUN, it repeats them. */
export const RUN = Number(process.env.PF_TEST_RUN || Math.floor(Date.now() / DAY_MS));

const WEST = 'America/New_York';
const EAST = 'Asia/Kolkata';

/** The zone in which every page of the contract is tested. */
export const FIRST_ZONE = RUN % 2 === 0 ? WEST : EAST;

/** The zone in which the pages about rows and dates are tested again. */
export const SECOND_ZONE = RUN % 2 === 0 ? EAST : WEST;
