/** Texts that release 1.31.1 accepts as addresses and ranges with or without a warning (recorded from it): what each warning says of them. */
import { casesOf } from '../../test/replay/recording';
import { text, tupleOf } from '../../test/replay/shape';
import { readPrefixStrictly, readStrictly } from './ip-strict';

it.each(casesOf('values/strict', tupleOf(text, text, text, text)))('%s %j: %s %j', (kind, written, result, said) => {
  const reading = kind === 'prefix' ? readPrefixStrictly(written) : readStrictly(written);
  // An IPv4 range is never called uncanonical, so its canonical text was not told.
  expect(reading).toEqual({ [result]: said });
});
