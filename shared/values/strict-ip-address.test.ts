/** Compares the warnings about addresses and ranges that release 1.31.1 accepts with recorded ones. */
import { casesOf } from '../../test/replay/recording';
import { text, tupleOf } from '../../test/replay/shape';
import { parseStrictIpPrefix, parseStrictIpAddress } from './strict-ip-address';

it.each(casesOf('values/strict', tupleOf(text, text, text, text)))(
  'strict reading of the %s %j results in %s %j',
  (kind, written, result, said) => {
    const reading = kind === 'prefix' ? parseStrictIpPrefix(written) : parseStrictIpAddress(written);
    // An IPv4 range is never called uncanonical, so its canonical text was not told.
    expect(reading).toEqual({ [result]: said });
  },
);
