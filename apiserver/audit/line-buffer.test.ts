/** JSON text and times in the buffer of audit lines, and the reuse of an earlier line of a request. */
import fc from 'fast-check';
import { auditEvent, eventText } from '../../test/support/objects/audit-event';
import { writeEvent } from './event-line';
import { LineBuffer, encodePiece } from './line-buffer';
import { anyCharacter } from '../../test/support/any-character';

const textOf = (buffer: LineBuffer): string => buffer.written.toString();

it('LineBuffer writes any string as JSON without markup', () => {
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
        expect(lines.map((line): unknown => JSON.parse(line))).toEqual(texts.map((text) => Buffer.from(text).toString()));
        expect(textOf(buffer)).not.toMatch(/[<>&\u2028\u2029]/);
      },
    ),
  );
});

it('LineBuffer writes times with microseconds', () => {
  const buffer = new LineBuffer();
  for (const at of [0, 999.9999, 1_700_000_000_000.25, 1_700_000_000_001.5, 1_700_000_059_999]) {
    buffer.writeTime(at);
    buffer.writeRaw(' ');
  }
  expect(textOf(buffer)).toBe(
    '1970-01-01T00:00:00.000000Z 1970-01-01T00:00:00.999999Z 2023-11-14T22:13:20.000250Z 2023-11-14T22:13:20.001500Z 2023-11-14T22:14:19.999000Z ',
  );
});

it('LineBuffer returns to its initial size when it is cleared', () => {
  const buffer = new LineBuffer(16);
  buffer.writeRaw('x'.repeat(1000));
  expect(buffer.length).toBe(1000);
  buffer.clear();
  buffer.writeRaw('ab');
  buffer.repeat(0, 2);
  expect(textOf(buffer)).toBe('abab');
  expect(buffer.written.buffer.byteLength).toBe(16);
});

describe('second audit line of a request', () => {
  const received = auditEvent('1', { stage: 'RequestReceived', responseStatus: undefined });
  const complete = {
    ...received,
    stage: 'ResponseComplete',
    code: 201,
    responseStatus: '{"metadata":{},"code":201}',
    at: received.at + 1,
  } as const;
  const lines = (between: (buffer: LineBuffer) => void, second: typeof complete = complete): string => {
    const buffer = new LineBuffer(64);
    writeEvent(buffer, received, { format: 'json', dialect: 'platform' }, 'with-objects');
    between(buffer);
    const start = buffer.length;
    writeEvent(buffer, second, { format: 'json', dialect: 'platform' }, 'with-objects');
    return buffer.written.toString('utf8', start);
  };
  const encodeAlone = (event: typeof complete): string => eventText({ ...event, subject: { ...event.subject, written: undefined } }) ?? '';

  it.each<[string, (buffer: LineBuffer) => void]>([
    ['follows the first directly', () => undefined],
    ['follows other lines', (buffer) => buffer.writeRaw('x'.repeat(1000))],
    ['follows after the first was flushed', (buffer) => buffer.clear()],
    [
      'follows after other lines replaced the first',
      (buffer) => {
        buffer.clear();
        buffer.writeRaw('x'.repeat(300));
      },
    ],
    ['follows after the first was cut', (buffer) => buffer.truncate(0)],
  ])('equals a line written from scratch when it %s', (_what, between) => {
    expect(lines(between)).toBe(encodeAlone(complete));
  });

  it('contains the object, impersonation and user that became known after the first', () => {
    const object = {
      resource: 'pods',
      namespace: 'n',
      name: 'a',
      uid: '',
      apiGroup: '',
      apiVersion: 'v1',
      resourceVersion: '',
      subresource: '',
    };
    for (const change of [{ object }, { impersonated: { name: 'dev', groups: [] } }, { user: { name: 'v', groups: [] } }]) {
      const second = { ...complete, ...change };
      expect(lines(() => undefined, second)).toBe(encodeAlone(second));
    }
  });
});
