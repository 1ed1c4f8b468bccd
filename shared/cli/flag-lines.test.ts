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
});
