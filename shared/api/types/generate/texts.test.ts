import { SERVED_KINDS } from '../../kinds';
import { typeNames } from '../tables';
import { schemaOf } from '../index';
import own from './own-texts.json';
import { readTexts } from './texts';

const texts = readTexts() ?? {};

test('every kind says what it is and what its members are for', () => {
  const untold = SERVED_KINDS.flatMap(({ type }) => {
    const said = texts[type] ?? {};
    return ['', 'apiVersion', 'kind', ...schemaOf(type).fields.map(({ name }) => name)].flatMap((member) =>
      said[member] === undefined ? [`${type} ${member}`] : [],
    );
  });
  expect(untold).toEqual([]);
});

test('words of ours are for types and members that there are', () => {
  const known = new Set(typeNames());
  const told = Object.entries(own).filter(([type]) => known.has(type));
  const unknown = told.flatMap(([type, members]) => {
    const names = new Set(['', ...schemaOf(type).fields.map(({ name }) => name)]);
    return Object.keys(members).flatMap((member) => (names.has(member) ? [] : [`${type} ${member}`]));
  });
  expect(unknown).toEqual([]);
  expect(told.length).toBeGreaterThan(20);
});
