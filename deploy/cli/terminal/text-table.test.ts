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
});
