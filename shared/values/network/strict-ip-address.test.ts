/**
 * Compares strict parsing with the warnings of release 1.31.1 about addresses and ranges that it accepts. It does not
 * warn of IPv4 ranges that are not canonical, so none of these is recorded.
 */
import { readCases } from '../../../test/replay/recording';
import { text, tupleOf } from '../../../test/replay/shape';
import { parseStrictIpPrefix, parseStrictIpAddress } from './strict-ip-address';

it.each(readCases('values/strict', tupleOf(text, text, text, text)))(
  'parseStrictIpAddress and parseStrictIpPrefix read the %s %j as the %s %j',
  (kind, written, outcome, expected) => {
    const result = kind === 'prefix' ? parseStrictIpPrefix(written) : parseStrictIpAddress(written);
    expect(result).toEqual({ [outcome === 'fault' ? 'error' : outcome]: expected });
  },
);
