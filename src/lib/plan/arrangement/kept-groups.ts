/** Remembers in the tab which rows and columns of a version are open. */
import * as v from 'valibot';
import { keep, keptJson } from '../../client/storage';
import { NONE_TOGGLED, ToggledGroups } from '../../pivot/grid/cells/toggled';

/**
 * Remembers the rows and columns of a version that were opened and closed one by one. The tab keeps them when
 * it reloads the page or shows another one (docs/decisions/0016-the-address-is-the-arrangement.md).
 */
export class KeptGroups {
  private readonly key: string;

  constructor(versionId: number) {
    this.key = `pf.groups.${versionId}`;
  }

  /** The groups that were saved last; none if they cannot be read. */
  get kept(): ToggledGroups {
    const { success, output } = v.safeParse(ToggledGroups, keptJson(this.key, 'tab'));
    return success ? output : NONE_TOGGLED;
  }

  keep(toggled: ToggledGroups): void {
    const isNone = toggled.rows === null && toggled.across === null;
    keep(this.key, isNone ? null : JSON.stringify(toggled), 'tab');
  }
}
