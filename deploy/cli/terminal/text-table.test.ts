import { formatTable } from './text-table';

describe('formatTable', () => {
  it('aligns columns and ends lines without spaces', () => {
    expect(
      formatTable(
        ['NAME', 'READY', 'X'],
        [
          ['apiserver-0', 'yes', ''],
          ['a', 'no', 'b'],
        ],
      ),
    ).toBe('NAME          READY   X\napiserver-0   yes\na             no      b\n');
  });

  it('prints the headings without rows', () => {
    expect(formatTable(['NAME'], [])).toBe('NAME\n');
  });

  it('prints a cell with control characters in one line, without them', () => {
    expect(formatTable(['NAME'], [['a\n\u001b[2Jb']])).toBe('NAME\na [2Jb\n');
  });
});
