import { boolFlag, stringFlag } from './flags';
import { partitionArguments } from './scan-arguments';

const SETTINGS = { section: 's', help: 'h' };
const table = {
  file: stringFlag({ ...SETTINGS, default: '' }),
  range: stringFlag({ ...SETTINGS, default: '' }),
  allocate: boolFlag({ ...SETTINGS, default: false }),
};
const partition = (...argv: string[]) => partitionArguments(table, argv, (name) => name !== 'file');

describe('partitionArguments', () => {
  it('selects flags with their values in either form, and keeps the order', () => {
    expect(partition('--range', '10.0.0.0/8', '--file=a', '--allocate', '--range=b')).toEqual({
      selected: ['--range', '10.0.0.0/8', '--allocate', '--range=b'],
      others: ['--file=a'],
    });
  });

  it('leaves a value that looks like a flag with its flag', () => {
    expect(partition('--file', '--range=b', 'x')).toEqual({ selected: [], others: ['--file', '--range=b', 'x'] });
  });

  it('takes no argument after a boolean flag, and leaves unknown ones alone', () => {
    expect(partition('--allocate', 'true', '--other')).toEqual({ selected: ['--allocate'], others: ['true', '--other'] });
  });
});
