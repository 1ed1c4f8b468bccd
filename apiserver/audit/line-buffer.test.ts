/** JSON text, times and copies in the buffer of audit lines. */
import fc from 'fast-check';
import { LineBuffer, encodePiece } from './line-buffer';
import { anyCharacter } from '../../test/support/any-character';

const textOf = (buffer: LineBuffer): string => buffer.written.toString();

describe('LineBuffer', () => {
  it('writes any string as JSON without markup', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.string({ unit: anyCharacter, maxLength: 400 }), fc.constantFrom('<a href="&">', '\\', 'ä\u2028😀', '\u007f'))),
        (texts) => {
          const buffer = new LineBuffer(16);
          for (const text of texts) {
            buffer.writeString(text);
            buffer.writePiece(encodePiece('\n'));
          }
          const lines = textOf(buffer).split('\n').slice(0, -1);
          expect(lines.map((line): unknown => JSON.parse(line))).toEqual(texts);
          expect(textOf(buffer)).not.toMatch(/[<>&\u2028\u2029]/);
        },
      ),
    );
  });

  it('writes times in milliseconds since 1970 with microseconds', () => {
    const buffer = new LineBuffer();
    for (const at of [0, 999.9999, 1_700_000_000_000.25, 1_700_000_000_001.5, 1_700_000_059_999]) {
      buffer.writeTime(at);
      buffer.writeRaw(' ');
    }
    expect(textOf(buffer)).toBe(
      '1970-01-01T00:00:00.000000Z 1970-01-01T00:00:00.999999Z 2023-11-14T22:13:20.000250Z 2023-11-14T22:13:20.001500Z 2023-11-14T22:14:19.999000Z ',
    );
  });

  it('returns to its initial size when it is cleared', () => {
    const buffer = new LineBuffer(16);
    buffer.writeRaw('x'.repeat(1000));
    buffer.clear();
    expect(buffer.length).toBe(0);
    expect(buffer.written.buffer.byteLength).toBe(16);
  });

  it('repeats a part of what was written', () => {
    const buffer = new LineBuffer(16);
    buffer.writeRaw('abcd');
    buffer.repeat(1, 3);
    expect(textOf(buffer)).toBe('abcdbc');
  });
});
