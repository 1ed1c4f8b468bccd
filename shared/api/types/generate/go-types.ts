/**
 * Reads the run-time type descriptors that every Go program contains for reflection: named structs with their fields in
 * order, the field types and tags. These are the source of the field order, JSON names, protobuf numbers, `omitempty`,
 * pointers and patch strategies of the API types. Supports 64-bit little-endian ELF executables with a fixed address,
 * built by Go 1.18 to 1.23. The layout of descriptors is that of Go's package `internal/abi` (type.go).
 */

/**
 * A type of the program. `name` is without the package, and empty for an unnamed type. Types that it contains are
 * functions, because a type may contain itself.
 */
export type GoType =
  | { kind: 'basic'; name: string; scalar: GoScalar; package: string }
  | { kind: 'struct'; name: string; package: string; members: () => GoMember[] }
  | { kind: 'pointer'; to: () => GoType }
  | { kind: 'list'; name: string; package: string; element: () => GoType }
  | { kind: 'map'; name: string; package: string; key: () => GoType; element: () => GoType }
  | { kind: 'other'; name: string };

export type GoScalar =
  | 'bool'
  | 'int'
  | 'int8'
  | 'int16'
  | 'int32'
  | 'int64'
  | 'uint8'
  | 'uint32'
  | 'uint64'
  | 'float32'
  | 'float64'
  | 'string';

/** A member of a Go struct, as reflection data of a program describes it. */
export interface GoMember {
  name: string;
  embedded: boolean;
  /** The tag as written: `json:"name,omitempty" protobuf:"bytes,1,opt,name=name"`. */
  tag: string;
  type: GoType;
}

/** Named structs by `<package path>.<name>`. */
export type GoTypes = Map<string, GoType & { kind: 'struct' }>;

/** By the value of Go's `reflect.Kind`. */
const SCALARS: Record<number, GoScalar> = {
  1: 'bool',
  2: 'int',
  3: 'int8',
  4: 'int16',
  5: 'int32',
  6: 'int64',
  8: 'uint8',
  10: 'uint32',
  11: 'uint64',
  13: 'float32',
  14: 'float64',
  24: 'string',
};
/** The values of `reflect.Kind` of other types. */
const KIND = { map: 21, pointer: 22, slice: 23, struct: 25 };
const POINTER_BYTES = 8;
/** Size in bytes of the header of every type descriptor. The descriptor of a scalar has nothing else. */
const HEADER = 48;
/** Sizes in bytes of the other descriptors, with the header. The package of a named type follows the descriptor. */
const SIZES: Record<number, number> = { [KIND.map]: 88, [KIND.pointer]: 56, [KIND.slice]: 56, [KIND.struct]: 80 };
/** Offsets in the header: flags, kind (in the low five bits), and the offset of the name from the start of the types. */
const FLAGS_OFFSET = 20;
const KIND_OFFSET = 23;
const KIND_MASK = 31;
const NAME_OFFSET = 40;
/** Flags of a type: it has a package; its stored name has a `*` too many; it has a name. */
const FLAG = { uncommon: 1, extraStar: 2, named: 4 };
/** What follows the header of a struct's descriptor: its package, and the address and number of its members. */
const STRUCT = { members: HEADER + 8, memberCount: HEADER + 16 };
/** Bytes of a struct member: pointers to its name and its type, and its offset. */
const MEMBER_BYTES = 24;
/** Flags of a name. */
const NAME_FLAG = { hasTag: 2, embedded: 8 };
/** Offsets in the ELF header: the section table, the number of sections, and the section with the names of sections. */
const ELF = { sectionTable: 0x28, sectionCount: 0x3c, namesIndex: 0x3e };
const SECTION_BYTES = 64;
/** Offsets in a row of the section table: the section's name, its type, and its address, offset in the file and size. */
const SECTION = { name: 0, type: 4, address: 16, fileOffset: 24, size: 32 };
/** The type of sections with data of the program. */
const PROGRAM_DATA = 1;

/** Returns every named struct to which the program has a pointer type, without instances of generic types. */
export function readGoTypes(program: Buffer): GoTypes {
  const image = new Image(program);
  const types: GoTypes = new Map();
  for (let at = image.typeLinks.start; at < image.typeLinks.end; at += 4) {
    const type = image.type(image.typesBase + program.readInt32LE(at));
    if (type.kind !== 'pointer') continue;
    const target = type.to();
    if (target.kind === 'struct' && target.name !== '' && !target.name.includes('[')) types.set(`${target.package}.${target.name}`, target);
  }
  return types;
}

interface Section {
  /** Of its first byte in memory. */
  address: number;
  /** Offsets in the file of its first byte, and of the byte after its last one. */
  start: number;
  end: number;
}

/** The program as it is laid out in memory: resolves the addresses in its data to offsets in the file. */
class Image {
  /** The address from which offsets of types and names count. */
  readonly typesBase: number;
  /** A list of the offsets of types, four bytes each. */
  readonly typeLinks: Section;
  private readonly sections: Section[] = [];
  private readonly types = new Map<number, GoType>();

  constructor(private readonly bytes: Buffer) {
    if (bytes.toString('latin1', 0, 4) !== '\x7fELF' || bytes[4] !== 2 || bytes[5] !== 1)
      throw new Error('not a 64-bit little-endian ELF program');
    const table = Number(bytes.readBigUInt64LE(ELF.sectionTable));
    const names = this.section(table + bytes.readUInt16LE(ELF.namesIndex) * SECTION_BYTES);
    const sectionsByName = new Map<string, Section>();
    for (let i = 0; i < bytes.readUInt16LE(ELF.sectionCount); i += 1) {
      const header = table + i * SECTION_BYTES;
      const section = this.section(header);
      if (bytes.readUInt32LE(header + SECTION.type) === PROGRAM_DATA) this.sections.push(section);
      sectionsByName.set(this.zeroTerminated(names.start + bytes.readUInt32LE(header + SECTION.name)), section);
    }
    const constants = sectionsByName.get('.rodata');
    const typeLinks = sectionsByName.get('.typelink');
    if (constants === undefined || typeLinks === undefined) throw new Error('no Go type descriptions in this program');
    this.typesBase = constants.address;
    this.typeLinks = typeLinks;
  }

  /** The type with the descriptor at an address. */
  type(address: number): GoType {
    let type = this.types.get(address);
    if (type === undefined) this.types.set(address, (type = this.readType(address)));
    return type;
  }

  private readType(address: number): GoType {
    const at = this.offset(address);
    const flags = this.bytes[at + FLAGS_OFFSET] ?? 0;
    const kind = (this.bytes[at + KIND_OFFSET] ?? 0) & KIND_MASK;
    const storedName = this.name(this.typesBase + this.bytes.readInt32LE(at + NAME_OFFSET)).text;
    const qualifiedName = (flags & FLAG.extraStar) === 0 ? storedName : storedName.slice(1);
    const isNamed = (flags & FLAG.named) !== 0;
    const name = isNamed ? qualifiedName.slice(qualifiedName.lastIndexOf('.') + 1) : '';
    const scalar = SCALARS[kind];
    const size = scalar === undefined ? SIZES[kind] : HEADER;
    const hasPackage = isNamed && (flags & FLAG.uncommon) !== 0 && size !== undefined;
    const packageName = hasPackage ? this.name(this.typesBase + this.bytes.readInt32LE(at + size)).text : '';
    if (scalar !== undefined) return { kind: 'basic', name, scalar, package: packageName };
    // The types that the type contains are pointers after the header.
    const contained = (index: number) => (): GoType => this.type(this.pointer(at + HEADER + index * POINTER_BYTES));
    switch (kind) {
      case KIND.pointer:
        return { kind: 'pointer', to: contained(0) };
      case KIND.slice:
        return { kind: 'list', name, package: packageName, element: contained(0) };
      case KIND.map:
        return { kind: 'map', name, package: packageName, key: contained(0), element: contained(1) };
      case KIND.struct:
        return { kind: 'struct', name, package: packageName, members: () => this.members(at) };
      default:
        return { kind: 'other', name: qualifiedName };
    }
  }

  /** The members of a struct; `struct` is the offset of its descriptor in the file. */
  private members(struct: number): GoMember[] {
    const first = this.offset(this.pointer(struct + STRUCT.members));
    const count = this.pointer(struct + STRUCT.memberCount);
    const members: GoMember[] = [];
    for (let i = 0; i < count; i += 1) {
      const at = first + i * MEMBER_BYTES;
      const name = this.name(this.pointer(at));
      const type = this.type(this.pointer(at + POINTER_BYTES));
      members.push({ name: name.text, embedded: name.embedded, tag: name.tag, type });
    }
    return members;
  }

  /** The name at an address: one byte of flags, then length-prefixed texts. */
  private name(address: number): { text: string; tag: string; embedded: boolean } {
    const at = this.offset(address);
    const flags = this.bytes[at] ?? 0;
    const text = this.prefixedText(at + 1);
    const tag = (flags & NAME_FLAG.hasTag) !== 0 ? this.prefixedText(text.end).text : '';
    return { text: text.text, tag, embedded: (flags & NAME_FLAG.embedded) !== 0 };
  }

  /** The text at an offset in the file, after its length, which is a varint. `end` is the offset after the text. */
  private prefixedText(at: number): { text: string; end: number } {
    let length = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.bytes[at] ?? 0;
      at += 1;
      // Seven bits of the length; the eighth bit is set if more follow.
      length |= (byte & 0x7f) << shift;
      if (byte < 0x80) break;
    }
    return { text: this.bytes.toString('utf8', at, at + length), end: at + length };
  }

  /** The text at an offset in the file, up to a zero byte. */
  private zeroTerminated(at: number): string {
    return this.bytes.toString('latin1', at, this.bytes.indexOf(0, at));
  }

  /** The 64-bit number at an offset in the file. */
  private pointer(at: number): number {
    return Number(this.bytes.readBigUInt64LE(at));
  }

  private section(header: number): Section {
    const start = this.pointer(header + SECTION.fileOffset);
    return { address: this.pointer(header + SECTION.address), start, end: start + this.pointer(header + SECTION.size) };
  }

  /** The offset in the file of an address in memory. */
  private offset(address: number): number {
    for (const section of this.sections) {
      const at = address - section.address + section.start;
      if (at >= section.start && at < section.end) return at;
    }
    throw new Error(`address ${address.toString(16)} is in no section of the program`);
  }
}
