/** The flags with the ranges from which Services get cluster IPs and node ports. The ranges are parsed in apiserver/allocation. */
import { FlagError, type Flag } from '../../../shared/cli/flags';
import { parsePortRange, parseServiceRanges, portRangeText, type PortRange, type ServiceRanges } from '../../allocation/ranges';

export function serviceRangesFlag(section: string): Flag<ServiceRanges> {
  const parse = (text: string): ServiceRanges => {
    const ranges = parseServiceRanges(text);
    if (typeof ranges === 'string') throw new FlagError(ranges);
    return ranges;
  };
  return {
    section,
    help: 'CIDR range of the cluster IPs of Services, or two of different families, comma-separated.',
    default: parse('10.0.0.0/24'),
    placeholder: 'cidr[,cidr]',
    bareValue: undefined,
    parse,
    formatDefault: (ranges) => ranges.map(({ text }) => text).join(','),
  };
}

export function nodePortRangeFlag(section: string): Flag<PortRange> {
  const parse = (text: string): PortRange => {
    const range = parsePortRange(text);
    if (typeof range === 'string') throw new FlagError(range);
    return range;
  };
  return {
    section,
    help: 'Port range of the node ports of Services.',
    default: parse('30000-32767'),
    placeholder: 'first-last',
    bareValue: undefined,
    parse,
    formatDefault: portRangeText,
  };
}
