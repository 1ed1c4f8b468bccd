import fc from 'fast-check';
import { auditEvent, eventText } from '../../test/support/audit-event';
import { writeEvent } from './event-line';
import { Page, pieceOf } from './page';

const held = (page: Page): string => page.written.toString();

it('takes any text as JSON without markup', () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(fc.string({ unit: 'binary', maxLength: 400 }), fc.constantFrom('<a href="&">', '\\', 'ä\u2028😀', '\u007f'))),
      (texts) => {
        const page = new Page(16);
        for (const text of texts) {
          page.text(text);
          page.piece(pieceOf('\n'));
        }
        const lines = held(page).split('\n').slice(0, -1);
        expect(lines.map((line): unknown => JSON.parse(line))).toEqual(texts.map((text) => Buffer.from(text).toString()));
        expect(held(page)).not.toMatch(/[<>&\u2028\u2029]/);
      },
    ),
  );
});

it('prints times to the microsecond', () => {
  const page = new Page();
  for (const at of [0, 999.9999, 1_700_000_000_000.25, 1_700_000_000_001.5, 1_700_000_059_999]) {
    page.time(at);
    page.raw(' ');
  }
  expect(held(page)).toBe(
    '1970-01-01T00:00:00.000000Z 1970-01-01T00:00:00.999999Z 2023-11-14T22:13:20.000250Z 2023-11-14T22:13:20.001500Z 2023-11-14T22:14:19.999000Z ',
  );
});

it('is as small as before when it is emptied', () => {
  const page = new Page(16);
  page.raw('x'.repeat(1000));
  expect(page.length).toBe(1000);
  page.empty();
  page.raw('ab');
  page.again(0, 2);
  expect([held(page), page.written.buffer.byteLength]).toEqual(['abab', 16]);
});

describe('the second line of a request', () => {
  const received = auditEvent('1', { stage: 'RequestReceived', responseStatus: undefined });
  const complete = {
    ...received,
    stage: 'ResponseComplete',
    code: 201,
    responseStatus: '{"metadata":{},"code":201}',
    at: received.at + 1,
  } as const;
  const lines = (between: (page: Page) => void, second: typeof complete = complete): string => {
    const page = new Page(64);
    writeEvent(page, received, 'json', 'platform', false);
    between(page);
    const start = page.length;
    writeEvent(page, second, 'json', 'platform', false);
    return page.written.toString('utf8', start);
  };
  const anew = (event: typeof complete): string => eventText({ ...event, subject: { ...event.subject, written: undefined } }) ?? '';

  it.each<[string, (page: Page) => void]>([
    ['follows at once', () => undefined],
    ['follows others', (page) => page.raw('x'.repeat(1000))],
    ['comes when the first is gone', (page) => page.empty()],
    [
      'comes when others stand where the first stood',
      (page) => {
        page.empty();
        page.raw('x'.repeat(300));
      },
    ],
    ['comes when the first was too long', (page) => page.cutTo(0)],
  ])('is the same when it %s', (_what, between) => {
    expect(lines(between)).toBe(anew(complete));
  });

  it('tells what is known by then', () => {
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
      expect(lines(() => undefined, second)).toBe(anew(second));
    }
  });
});
