/**
 * The flags with the ranges from which Services get cluster IPs and node ports. The ranges are parsed in
 * apiserver/allocation.
 */
import { FlagError, type Flag } from '../../../shared/cli/flags';
import { parsePortRange, parseServiceRanges, portRangeText, type PortRange, type ServiceRanges } from '../../allocation/ranges';

/** `section` is the heading of the flag in `--help`. */
export const serviceRangesFlag = (section: string): Flag<ServiceRanges> =>
  rangeFlag(section, parseServiceRanges, {
    help: 'CIDR range of the cluster IPs of Services, or two of different families, comma-separated.',
    default: '10.0.0.0/24',
    placeholder: 'cidr[,cidr]',
    formatDefault: (ranges) => ranges.map(({ text }) => text).join(','),
  });

/** `section` is the heading of the flag in `--help`. */
export const nodePortRangeFlag = (section: string): Flag<PortRange> =>
  rangeFlag(section, parsePortRange, {
    help: 'Port range of the node ports of Services.',
    default: '30000-32767',
    placeholder: 'first-last',
    formatDefault: portRangeText,
  });

/** `parseRange` returns a range, or why the text is none. */
function rangeFlag<T extends object>(
  section: string,
  parseRange: (text: string) => T | string,
  row: { readonly help: string; readonly default: string; readonly placeholder: string; readonly formatDefault: (range: T) => string },
): Flag<T> {
  const parse = (text: string): T => {
    const range = parseRange(text);
    if (typeof range === 'string') throw new FlagError(range);
    return range;
  };
  return { ...row, section, default: parse(row.default), bareValue: undefined, parse };
}
