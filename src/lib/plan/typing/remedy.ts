/** A button of a report that something was refused. */

export interface Remedy {
  label: string;
  run: () => void;
}
