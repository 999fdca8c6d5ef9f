import { BlockList } from 'node:net';
import { describe, expect, it } from 'vitest';
import { whoSent, type SignInRules } from './sign-in';

const trustedProxies = new BlockList();
trustedProxies.addSubnet('127.0.0.0', 8, 'ipv4');

/** Who sends a request with a header of groups. */
function sender(groups: string, rules: Partial<SignInRules> = {}) {
  const rawHeaders = ['X-User', 'ann', 'X-Groups', groups];
  return whoSent(
    { rawHeaders, socket: { remoteAddress: '127.0.0.1' } },
    {
      userHeader: 'x-user',
      trustedProxies,
      groupsHeader: 'x-groups',
      groupsDelimiter: null,
      planners: 'planners',
      admins: 'admins',
      ...rules,
    },
  );
}

describe('The groups of a person', () => {
  it('are separated by commas', () => {
    expect(sender('staff, admins ,').groups).toEqual(['staff', 'admins']);
    expect(sender('staff, admins').roles).toContain('admin');
    expect(sender('cn=staff').groups).toEqual(['cn=staff']);
  });

  it.each(['cn=x,admins', 'staff,cn=x', '"x,admins"', 'x\\,admins'])(
    'are refused if their names may contain commas: %s',
    (groups) => expect(() => sender(groups)).toThrow(/may contain commas; set PF_GROUPS_DELIMITER/),
  );

  it('are separated by the sign that the operator chooses, and by no other', () => {
    const rules = { groupsDelimiter: ';', admins: 'cn=admins,ou=plan' };
    const { groups, roles } = sender('cn=x,admins; cn=y,admins', rules);
    expect([groups, roles]).toEqual([['cn=x,admins', 'cn=y,admins'], ['reader']]);
    expect(sender('cn=x,admins;cn=admins,ou=plan', rules).roles).toContain('admin');
    expect(sender('a|admins', { groupsDelimiter: '|' }).roles).toContain('admin');
  });
});
