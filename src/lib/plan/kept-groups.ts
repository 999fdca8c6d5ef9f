import * as v from 'valibot';
import { keep, keptJson } from '../client/storage';
import { NONE_TOGGLED, ToggledGroups } from '../pivot/grid/toggled';

/**
 * Which rows and columns of a version were opened and closed one by one. The tab keeps them while it loads
 * the page anew or shows others (docs/decisions/0016-the-address-is-the-arrangement.md).
 */
export class KeptGroups {
  private readonly key: string;

  constructor(versionId: number) {
    this.key = `pf.groups.${versionId}`;
  }

  /** What was kept last; none if that cannot be read. */
  get kept(): ToggledGroups {
    const { success, output } = v.safeParse(ToggledGroups, keptJson(this.key, 'tab'));
    return success ? output : NONE_TOGGLED;
  }

  keep(toggled: ToggledGroups): void {
    const isNone = toggled.rows === null && toggled.across === null;
    keep(this.key, isNone ? null : JSON.stringify(toggled), 'tab');
  }
}
