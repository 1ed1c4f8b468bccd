/** Texts that release 1.31.1 accepts as addresses and ranges with or without a warning (recorded from it): what each warning says of them. */
import { recordedAnswers } from '../../test/recordings/answers';
import { readPrefixStrictly, readStrictly } from './ip-strict';

const recorded = recordedAnswers<readonly (readonly string[])[]>('values/ip-warnings');

it.each(recorded.map(([kind = '', text = '', result = '', said = '']) => [kind, text, result, said] as const))(
  '%s %j: %s %j',
  (kind, text, result, said) => {
    const reading = kind === 'prefix' ? readPrefixStrictly(text) : readStrictly(text);
    // An IPv4 range is never called uncanonical, so its canonical text was not told.
    expect(reading).toEqual({ [result]: said });
  },
);
