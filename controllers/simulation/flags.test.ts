import { parseFlags } from '../../shared/cli/flags';
import { capacityOf, flags, validateFlags } from './flags';

const valuesOf = (...args: readonly string[]) => {
  const parsed = parseFlags({ name: 'simulation', description: '' }, flags, args);
  if (parsed.kind !== 'values') throw new Error(JSON.stringify(parsed));
  return parsed.values;
};

describe('capacityOf', () => {
  it('replaces and adds resources', () => {
    expect(capacityOf(['cpu=4', 'nvidia.com/gpu=2'])).toEqual({
      cpu: '4',
      memory: '32Gi',
      'ephemeral-storage': '100Gi',
      pods: '110',
      'nvidia.com/gpu': '2',
    });
  });

  it.each(['cpu', 'cpu=', '=4', 'cpu=many', 'cpu=-1', 'pods=0'])('rejects %j', (item) => {
    expect(() => capacityOf([item])).toThrow('must be resource=quantity');
  });
});

describe('validateFlags', () => {
  it.each([
    [['--kubeconfig=/k'], undefined],
    [[], '--kubeconfig is required'],
    [['--kubeconfig=/k', '--pod-address-range=10.0.0.1'], '--pod-address-range must be a range of IP addresses'],
    [['--kubeconfig=/k', '--node-address-range=none'], '--node-address-range must be a range of IP addresses'],
  ])('returns the error of %j: %j', (args, error) => {
    expect(validateFlags(valuesOf(...args))).toBe(error);
  });
});
