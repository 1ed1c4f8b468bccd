import { portWarnings } from './port-warnings';

it('portWarnings compares a bounded number of port pairs of 100,000 equal ports', () => {
  const ports = Array.from({ length: 100_000 }, () => ({ containerPort: 80, protocol: 'TCP' }));
  const warnings = portWarnings({ containers: [{ name: 'c', ports }] }, 'spec');
  expect(warnings[0]).toBe('spec.containers[0].ports[1]: duplicate port definition with spec.containers[0].ports[0]');
  expect(warnings.length).toBeLessThan(2_000);
  const apart = ports.map((port, n) => ({ ...port, hostPort: 1, hostIP: `a${n}` }));
  expect(portWarnings({ containers: [{ name: 'c', ports: apart }] }, 'spec')).toEqual([]);
});
