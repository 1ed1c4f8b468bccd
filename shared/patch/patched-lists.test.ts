import fc from 'fast-check';
import type { JsonObject } from '../values/json';
import { applyJsonPatch, parseOperations } from './json-patch';

/** Longer than the lists that are not split. */
const MIN_LENGTH = 3_000;
/** `copy` doubles the list; a patch may copy a limited number of bytes. */
const MAX_COPIED_LENGTH = 20_000;

type Operation =
  | { readonly op: 'insert' | 'remove' | 'replace'; readonly index: number }
  | { readonly op: 'move'; readonly from: number; readonly to: number }
  | { readonly op: 'append' | 'copy' };

/** Applies the operation to an array with `splice`. Returns false, without a change, when an index is out of range. */
function applyToArray(list: unknown[], operation: Operation): boolean {
  switch (operation.op) {
    case 'insert':
      if (operation.index > list.length) return false;
      list.splice(operation.index, 0, -operation.index);
      return true;
    case 'remove':
      if (operation.index >= list.length) return false;
      list.splice(operation.index, 1);
      return true;
    case 'replace':
      if (operation.index >= list.length) return false;
      list.splice(operation.index, 1, [operation.index]);
      return true;
    case 'move':
      if (operation.from >= list.length || operation.to >= list.length) return false;
      list.splice(operation.to, 0, ...list.splice(operation.from, 1));
      return true;
    case 'append':
      list.push('end');
      return true;
    case 'copy':
      if (list.length >= MAX_COPIED_LENGTH) return false;
      list.splice(1, 0, structuredClone(list));
      return true;
  }
}

function jsonPatchOf(operation: Operation): JsonObject {
  switch (operation.op) {
    case 'insert':
      return { op: 'add', path: `/list/${operation.index}`, value: -operation.index };
    case 'remove':
      return { op: 'remove', path: `/list/${operation.index}` };
    case 'replace':
      return { op: 'replace', path: `/list/${operation.index}`, value: [operation.index] };
    case 'move':
      return { op: 'move', from: `/list/${operation.from}`, path: `/list/${operation.to}` };
    case 'append':
      return { op: 'add', path: '/list/-', value: 'end' };
    case 'copy':
      return { op: 'copy', from: '/list', path: '/list/1' };
  }
}

const index = fc.nat(2 * MIN_LENGTH);
const operation: fc.Arbitrary<Operation> = fc.oneof(
  fc.record({ op: fc.constantFrom('insert' as const, 'remove' as const, 'replace' as const), index }),
  fc.record({ op: fc.constant('move' as const), from: index, to: index }),
  fc.record({ op: fc.constantFrom('append' as const, 'copy' as const) }),
);

it('applyJsonPatch gives long lists the same items as splice on an array', () => {
  fc.assert(
    fc.property(fc.array(operation, { maxLength: 40 }), fc.nat(MIN_LENGTH), (operations, extraLength) => {
      const list = Array.from({ length: MIN_LENGTH + extraLength }, (_, n) => n);
      const expected: unknown[] = [...list];
      const applied = operations.filter((candidate) => applyToArray(expected, candidate));
      const patch = parseOperations(applied.map(jsonPatchOf)).operations;
      expect(applyJsonPatch({ list }, patch)['list']).toEqual(expected);
    }),
    { numRuns: 50 },
  );
});
