/** Says why a condition is refused. */
export class Refused extends Error {}
