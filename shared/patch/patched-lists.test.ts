import fc from 'fast-check';
import { applyJsonPatch, parseOperations } from './json-patch';

const position = fc.nat(6_000);
const step = fc.oneof(
  position.map((at) => ({ op: 'add', path: `/list/${at}`, value: -at })),
  position.map((at) => ({ op: 'remove', path: `/list/${at}` })),
  position.map((at) => ({ op: 'replace', path: `/list/${at}`, value: [at] })),
  fc.tuple(position, position).map(([from, to]) => ({ op: 'move', from: `/list/${from}`, path: `/list/${to}` })),
  fc.constantFrom({ op: 'add', path: '/list/-', value: 'end' }, { op: 'copy', from: '/list', path: '/list/1' }),
);

it('applyJsonPatch gives long lists the same items as splice on an array', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), fc.nat(3_000), (steps, extra) => {
      const list = Array.from({ length: 3_000 + extra }, (_, n) => n);
      const expected: unknown[] = [...list];
      const good = steps.filter((operation) => {
        const at = (pointer: string | undefined): number => Number(pointer?.slice('/list/'.length));
        switch (operation.op) {
          case 'add': {
            const value = 'value' in operation ? operation.value : 0;
            if (operation.path === '/list/-') return expected.push(value) > 0;
            return at(operation.path) <= expected.length && expected.splice(at(operation.path), 0, value).length === 0;
          }
          case 'remove':
            return at(operation.path) < expected.length && expected.splice(at(operation.path), 1).length === 1;
          case 'replace':
            return at(operation.path) < expected.length && expected.splice(at(operation.path), 1, [at(operation.path)]).length === 1;
          case 'move': {
            const from = at('from' in operation ? operation.from : undefined);
            if (from >= expected.length || at(operation.path) >= expected.length) return false;
            return expected.splice(at(operation.path), 0, ...expected.splice(from, 1)).length === 0;
          }
          default:
            return expected.length < 20_000 && expected.splice(1, 0, structuredClone(expected)).length === 0;
        }
      });
      const { operations } = parseOperations(good);
      expect(applyJsonPatch({ list }, operations)['list']).toEqual(expected);
    }),
    { numRuns: 50 },
  );
});
