/** The flags of the load balancer for development, and the settings that they make. */
import { boolFlag, listFlag, type FlagValues } from '../../shared/cli/flags';
import { ADDRESS_BITS, parseIpRange, type IpRange } from '../../shared/values/network/ip-address';
import { MAX_BLOCK_BITS } from '../runtime/cidr-set';
import type { LoadBalancerSettings } from '../runtime/controller';

const SECTION = 'Load balancer for development';

/** Rows of the flag table. */
export const loadBalancerFlags = {
  'development-load-balancer-addresses': listFlag({
    section: SECTION,
    help:
      'Ranges, at most one of each family, from which the controller service-lb gives Services of the load balancer class ' +
      'platform.io/development an address in their status. For development: no traffic is balanced. Without ranges the controller does not run.',
    default: [],
  }),
  'development-load-balancer-default-class': boolFlag({
    section: SECTION,
    help: 'Give addresses to Services without a load balancer class too. Only where no other load balancer serves them.',
    default: false,
  }),
};

type LoadBalancerFlags = FlagValues<typeof loadBalancerFlags>;

const ADDRESSES = '--development-load-balancer-addresses';

/** Returns `undefined` without ranges, and a string when the flags contradict each other: their error. */
export function loadBalancerSettings(flags: LoadBalancerFlags): LoadBalancerSettings | string | undefined {
  const texts = flags['development-load-balancer-addresses'];
  const servesDefaultClass = flags['development-load-balancer-default-class'];
  if (texts.length === 0) return servesDefaultClass ? `--development-load-balancer-default-class needs ${ADDRESSES}` : undefined;
  const ranges: IpRange[] = [];
  for (const text of texts) {
    const range = parseIpRange(text);
    if (range === undefined) return `${ADDRESSES}: invalid CIDR address: ${text}`;
    if (ranges.some(({ family }) => family === range.family)) return `${ADDRESSES}: more than one range of IPv${range.family}`;
    const hostBits = ADDRESS_BITS[range.family] - range.prefix;
    if (hostBits > MAX_BLOCK_BITS) return `${ADDRESSES}: ${text} has more than 2^${MAX_BLOCK_BITS} addresses`;
    ranges.push(range);
  }
  return { ranges, servesDefaultClass };
}
