/** Which IP addresses lead to the Internet. */
import { BlockList, isIP } from 'node:net';

/**
 * IPv4 addresses that are not globally reachable: IANA's registry of special-purpose addresses, and multicast. Its
 * anycast addresses for protocols, such as 192.0.0.9, count as part of their block.
 */
const SPECIAL_4 = blocks('ipv4', [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
]);

/** The only IPv6 addresses that IANA has allocated for global unicast. */
const UNICAST_6 = blocks('ipv6', [['2000::', 3]]);

/** The parts of these that are not globally reachable. Addresses of 6to4 contain IPv4 addresses, which may be private. */
const SPECIAL_6 = blocks('ipv6', [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
]);

/** IPv6 addresses that stand for the IPv4 address in their last 32 bits. */
const EMBEDDING_6 = blocks('ipv6', [
  ['::ffff:0:0', 96],
  ['64:ff9b::', 96],
]);

/**
 * Returns whether an IP address leads to the Internet. An IPv6 address that stands for an IPv4 address is judged as that.
 * An address with a zone, such as `fe80::1%eth0`, does not.
 */
export function isGlobal(address: string): boolean {
  if (isIP(address) === 4) return !SPECIAL_4.check(address, 'ipv4');
  if (isIP(address) !== 6 || address.includes('%')) return false;
  if (EMBEDDING_6.check(address, 'ipv6')) return isGlobal(lastBytes(address));
  return UNICAST_6.check(address, 'ipv6') && !SPECIAL_6.check(address, 'ipv6');
}

function blocks(
  family: 'ipv4' | 'ipv6',
  subnets: readonly (readonly [address: string, prefix: number])[],
): BlockList {
  const list = new BlockList();
  for (const [address, prefix] of subnets) list.addSubnet(address, prefix, family);
  return list;
}

/** Whether an address is one of this machine. */
export const isLoopback = (address: string): boolean =>
  address === '::1' || /^(::ffff:)?127\./.test(address);

/** The network that one machine can use all addresses of: that of 64 bits for IPv6, else the address itself. */
export function networkOf(address: string): string {
  const [plain = ''] = address.split('%');
  if (isIP(plain) !== 6) return address;
  if (EMBEDDING_6.check(plain, 'ipv6')) return lastBytes(plain);
  // Two colons stand for as many zeros as are missing.
  const [front = '', back = ''] = plain.split('::');
  const groups = front.split(':').filter(Boolean);
  const last = back.split(':').filter(Boolean);
  const zeros = Array.from({ length: Math.max(0, 8 - groups.length - last.length) }, () => '0');
  return [...groups, ...zeros, ...last]
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':');
}

/** The last 32 bits of an IPv6 address as an IPv4 address. */
function lastBytes(address: string): string {
  // A URL writes an IPv6 address without dots, and without leading zeros.
  const { hostname } = new URL(`http://[${address}]`);
  const groups = hostname.slice(1, -1).replace(/::$/, ':0:0').split(':').slice(-2);
  return groups
    .flatMap((group) => {
      const bits = Number.parseInt(group || '0', 16);
      return [bits >> 8, bits & 255];
    })
    .join('.');
}
