/** Why a condition is refused. */
export class Refused extends Error {}
