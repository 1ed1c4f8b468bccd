import { portWarnings } from './port-warnings';

const EQUAL_PORTS = Array.from({ length: 100_000 }, () => ({ containerPort: 80, protocol: 'TCP' }));

it('portWarnings returns a bounded number of warnings about 100,000 equal ports', () => {
  const warnings = portWarnings({ containers: [{ name: 'c', ports: EQUAL_PORTS }] }, 'spec');
  expect(warnings[0]).toBe('spec.containers[0].ports[1]: duplicate port definition with spec.containers[0].ports[0]');
  expect(warnings.length).toBeLessThan(2_000);
});

it('portWarnings compares a bounded number of pairs of 100,000 ports at different host addresses', () => {
  const ports = EQUAL_PORTS.map((port, index) => ({ ...port, hostPort: 1, hostIP: `a${index}` }));
  expect(portWarnings({ containers: [{ name: 'c', ports }] }, 'spec')).toEqual([]);
});
