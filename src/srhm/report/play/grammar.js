// The data model: grammars, data as trees, what leaves their class as it is. Letters: docs/notation.md; s = 2, sparsity A.
"use strict";
const S = 2;
const patchSize = ({ s0 }) => S * (s0 + 1);
const nNodes = ({ L }) => S ** L - 1;
const nPlacements = ({ s0 }) => (s0 + 1) ** S;
const nDistinct = (of) => of.nc * (of.m * nPlacements(of)) ** nNodes(of);
// Nodes of depth t of the tree, breadth-first: from, to.
const nodesOf = (t) => [S ** t - 1, S ** (t + 1) - 1];

// Uniform numbers in [0, 1), 53 bits: the generator xoshiro128** of Blackman and Vigna. A seed and a role begin a stream of
// its own: their mix by the finaliser of MurmurHash3, four times.
const ROLES = ["grammar", "sample", "initialisation", "order", "transformation", "play"];
function stream(seed, role) {
  let z = Math.imul(seed + 1, 0x9e3779b9) ^ Math.imul(ROLES.indexOf(role) + 1, 0x7f4a7c15);
  const mixed = () => {
    z = (z + 0x6d2b79f5) | 0;
    let x = z ^ (z >>> 16);
    x = Math.imul(x, 0x85ebca6b);
    x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35);
    return x ^ (x >>> 16);
  };
  const turned = (x, by) => (x << by) | (x >>> (32 - by));
  const at = [mixed(), mixed(), mixed(), mixed()];
  const next = () => {
    const found = Math.imul(turned(Math.imul(at[1], 5), 7), 9), kept = at[1] << 9;
    at[2] ^= at[0]; at[3] ^= at[1]; at[1] ^= at[2]; at[0] ^= at[3];
    at[2] ^= kept; at[3] = turned(at[3], 11);
    return found >>> 0;
  };
  return () => ((next() >>> 5) * 2 ** 26 + (next() >>> 6)) / 2 ** 53;
}
const below = (n, random) => Math.floor(random() * n);
const other = (now, n, random) => (now + 1 + below(n - 1, random)) % n;

// Standard Gaussian numbers, by Box and Muller.
function gaussian(n, random) {
  const found = new Float32Array(n);
  for (let i = 0; i < n; i += 2) {
    const r = Math.sqrt(-2 * Math.log(1 - random())), angle = 2 * Math.PI * random();
    found[i] = r * Math.cos(angle);
    if (i + 1 < n) found[i + 1] = r * Math.sin(angle);
  }
  return found;
}

// n different numbers below `total`, in random order: the first n of a shuffle of which only what moved is kept.
function chosen(total, n, random) {
  const moved = new Map(), found = [];
  for (let i = 0; i < n; i++) {
    const j = i + below(total - i, random);
    found.push(moved.get(j) ?? j);
    moved.set(j, moved.get(i) ?? i);
  }
  return found;
}

// Rules: of level l, rules[l - 1][latent][choice] = [first, second]; the tuples of a level are all different.
function drawGrammar({ L, v, m, nc, s0 }, random) {
  const rules = [];
  for (let l = 1; l <= L; l++) {
    const latents = l === L ? nc : v, codes = chosen(v ** S, latents * m, random);
    rules.push(Array.from({ length: latents }, (_, latent) =>
      codes.slice(latent * m, (latent + 1) * m).map((code) => [Math.floor(code / v), code % v])));
  }
  return { L, v, m, nc, s0, rules };
}

// One datum, {label, choices, placements}, by level: features and places from the class down to the input (Eq. 1, 2).
function levelsOf({ L, s0, rules }, { label, choices, placements }) {
  const found = [{ features: [label], places: [0] }];
  for (let t = 0, node = 0; t < L; t++) {
    const features = [], places = [];
    found[t].features.forEach((latent, i) => {
      const start = found[t].places[i] * S * (s0 + 1);
      features.push(...rules[L - t - 1][latent][choices[node]]);
      places.push(start + Math.floor(placements[node] / (s0 + 1)), start + s0 + 1 + placements[node] % (s0 + 1));
      node++;
    });
    found.push({ features, places });
  }
  return found;
}
const symbolsOf = (grammar, datum) => {
  const { features, places } = levelsOf(grammar, datum)[grammar.L];
  const found = new Array(patchSize(grammar) ** grammar.L).fill(0);
  places.forEach((place, i) => { found[place] = features[i] + 1; });
  return found;
};

// The datum of a number below nDistinct: its digits are label, choices, placements.
function datumOf(grammar, rank) {
  const digit = (base) => { const found = rank % base; rank = Math.floor(rank / base); return found; };
  const each = (base) => Array.from({ length: nNodes(grammar) }, () => digit(base));
  return { label: digit(grammar.nc), choices: each(grammar.m), placements: each(nPlacements(grammar)) };
}

// p_l: other synonyms at level l, and below what these produce by rules drawn anew; places stay.
function exchanged(grammar, datum, level, random) {
  const choices = [...datum.choices], [from, to] = nodesOf(grammar.L - level);
  for (let node = from; node < choices.length; node++)
    choices[node] = node < to ? other(choices[node], grammar.m, random) : below(grammar.m, random);
  return { ...datum, choices };
}
// tau_l: the features of level l anywhere in their own s_0 + 1 places; they stay as they are.
function displaced(grammar, datum, level, random) {
  const placements = [...datum.placements], [from, to] = nodesOf(grammar.L - level);
  for (let node = from; node < to; node++) placements[node] = below(nPlacements(grammar), random);
  return { ...datum, placements };
}
// The same at one node alone, where the places are others.
function exchangedAt(grammar, datum, node, random) {
  const choices = [...datum.choices], under = new Set([node]);
  choices[node] = other(choices[node], grammar.m, random);
  for (let one = node + 1; one < choices.length; one++)
    if (under.has(Math.floor((one - 1) / S))) { under.add(one); choices[one] = below(grammar.m, random); }
  return { ...datum, choices };
}
function displacedAt(grammar, datum, node, random) {
  const placements = [...datum.placements];
  placements[node] = other(placements[node], nPlacements(grammar), random);
  return { ...datum, placements };
}

// The datum of a row of symbols, 0 or feature + 1, read from them alone, bottom-up; null where no rule fits.
function parsed(grammar, symbols) {
  const w = patchSize(grammar), width = grammar.s0 + 1, found = { choices: [], placements: [] };
  for (let l = 1; l <= grammar.L; l++) {
    const known = new Map(grammar.rules[l - 1].flatMap((rules, latent) =>
      rules.map((rule, choice) => [String(rule), { latent, choice }])));
    const above = [], choices = [], placements = [];
    for (let start = 0; start < symbols.length; start += w) {
      const patch = symbols.slice(start, start + w), at = [...patch.keys()].filter((i) => patch[i]);
      if (!at.length) { above.push(0); continue; }
      const rule = known.get(String(at.map((i) => patch[i] - 1)));
      if (!rule || !at.every((i, j) => Math.floor(i / width) === j)) return null;
      above.push(rule.latent + 1);
      choices.push(rule.choice);
      placements.push(at[0] * width + at[1] - width);
    }
    symbols = above;
    found.choices.unshift(...choices);
    found.placements.unshift(...placements);
  }
  return symbols[0] ? { label: symbols[0] - 1, ...found } : null;
}
