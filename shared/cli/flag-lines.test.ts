import { formatFlagLines } from './flag-lines';
import { boolFlag, intFlag, listFlag } from './flags';

const table = {
  servers: listFlag({ section: 's', help: 'h', default: [] }),
  port: intFlag({ section: 's', help: 'h', default: 1 }),
  quiet: { ...boolFlag({ section: 's', help: 'h', default: false }), isHidden: true },
};

describe('formatFlagLines', () => {
  it('prints the values by name, without hidden flags', () => {
    expect(formatFlagLines(table, { servers: [], port: 443, quiet: true })).toEqual(['port=443', 'servers=']);
  });

  it('masks credentials in URLs', () => {
    const servers = ['https://root:secret@a:2379', 'https://b:2379/x@y'];
    expect(formatFlagLines(table, { servers, port: 1, quiet: true })[1]).toBe('servers=[https://xxxxx@a:2379,https://b:2379/x@y]');
  });

  it.each([
    ['https://root:se@cret@a:2379', 'https://xxxxx@a:2379'],
    ['https://root:se,c ret@a/x@y', 'https://xxxxx@a/x@y'],
    ['https:root:secret@a', 'https:xxxxx@a'],
    ['HTTPS:/root:secret@a', 'HTTPS:/xxxxx@a'],
    ['https:\\\\root:secret@a', 'https:\\\\xxxxx@a'],
  ])('masks the credentials in %s, which is a valid URL', (server, expected) => {
    expect(URL.canParse(server)).toBe(true);
    expect(formatFlagLines(table, { servers: [server], port: 1, quiet: true })[1]).toBe(`servers=[${expected}]`);
  });
});
