const LINE_FEED = 0x0a;

/** The encodings that are recognised, as people name them. */
export const NAMES = {
  'windows-1252': 'Windows-1252',
  'windows-1251': 'Windows-1251',
  shift_jis: 'Shift-JIS',
  gbk: 'GBK',
  macintosh: 'Macintosh',
} as const;
type KnownEncoding = keyof typeof NAMES;

/** An encoding is guessed by this many bytes. */
const SAMPLE_LENGTH = 65_536;
/** An encoding fits if at least this part of the characters beyond ASCII is usual in it. */
const USUAL_SHARE = 0.7;
const USUAL = {
  // Japanese texts have kana in each sentence.
  shift_jis: { usual: /[\u3040-\u30FF\u4E00-\u9FFF\u3000-\u303F\uFF01-\uFF5E]/u, needed: /[\u3041-\u30FE]/u },
  gbk: { usual: /[\u4E00-\u9FFF\u3000-\u303F\uFF01-\uFF5E]/u, needed: /[\u4E00-\u9FFF]/u },
  'windows-1251': { usual: /[\u0430-\u044F\u0410-\u042F\u0451\u0401]/u, needed: /[\u0430-\u044F]{3}/u },
} as const;
/** Texts whose pairs of bytes are all characters of GB 2312, which are the usual ones. */
const GB2312_PAIRS = /^(?:[\0-\x7F]|[\xA1-\xF7][\xA1-\xFE])*$/;

/** Letters of western languages at places where their case is likely, and the usual signs. */
const USUAL_LATIN = /[ß-öø-ÿœšž]|(?<!\p{Ll})[À-ÖØ-ÞŒŠŽŸ]|[‘’‚“”„–—…•€£©®™°×½\u00A0]/gu;

/** The likely encodings of a text that is not UTF-8. Usually one; none if every encoding gives an unlikely text. */
export function encodingsThatFit(bytes: Buffer): KnownEncoding[] {
  const sample = withoutCutEnds(bytes.subarray(0, SAMPLE_LENGTH));
  const raw = sample.toString('latin1');
  const fitting = (['shift_jis', 'gbk', 'windows-1251'] as const).filter(
    (encoding) => fits(encoding, sample) && (encoding !== 'gbk' || GB2312_PAIRS.test(raw)),
  );
  if (fitting.length > 0) return fitting;
  // Every byte fits into both.
  const latin = (['windows-1252', 'macintosh'] as const).find((encoding) => {
    const text = new TextDecoder(encoding).decode(sample);
    const usual = text.match(USUAL_LATIN)?.length ?? 0;
    return usual >= USUAL_SHARE * beyondAscii(text).length;
  });
  return latin === undefined ? [] : [latin];
}

function beyondAscii(text: string): string[] {
  return [...text].filter((character) => character > '\u007F');
}

/** The whole lines of a sample: a character of two bytes is not cut. */
function withoutCutEnds(bytes: Buffer): Buffer {
  const end = bytes.length < SAMPLE_LENGTH ? bytes.length : bytes.lastIndexOf(LINE_FEED);
  return bytes.subarray(0, end === -1 ? bytes.length : end);
}

function fits(encoding: keyof typeof USUAL, sample: Buffer): boolean {
  let text: string;
  try {
    text = new TextDecoder(encoding, { fatal: true }).decode(sample);
  } catch {
    return false;
  }
  const beyond = beyondAscii(text);
  const { usual, needed } = USUAL[encoding];
  const share = beyond.filter((character) => usual.test(character)).length / Math.max(1, beyond.length);
  return share >= USUAL_SHARE && needed.test(text);
}
