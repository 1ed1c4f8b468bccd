/** Free ports are distinct until their programs listen; the ports are those of this machine. */
import { freePort, freePorts } from './ports';

test('freePorts does not return a port again before its program listens', async () => {
  const single = await freePort();
  const pairs: number[][] = [];
  for (let round = 0; round < 100; round++) pairs.push(await freePorts(2));
  const ports = [single, ...pairs.flat()];
  expect(new Set(ports).size).toBe(ports.length);
});

test('freePorts returns different ports to concurrent calls', async () => {
  const ports = (await Promise.all(Array.from({ length: 100 }, () => freePorts(2)))).flat();
  expect(new Set(ports).size).toBe(ports.length);
});

test('freePorts returns consecutive ports', async () => {
  for (let round = 0; round < 200; round++) {
    const [first = 0, ...others] = await freePorts(7);
    expect(others).toEqual([1, 2, 3, 4, 5, 6].map((index) => first + index));
  }
});
