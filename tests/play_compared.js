// Of Python's numbers, and of those that the page draws by itself (test_play.py).
said.cases = CASES.map(({ grammar, net, ranks, weights, order, images }) => {
  const [train, test] = ranks.map((of) => of.map((rank) => datumOf(grammar, rank)));
  const shape = shapeOf(grammar, net, TASK.H), trained = network(shape, Float32Array.from(weights));
  const [data, tested] = [train, test].map((of) => encoded(grammar, of, shape));
  const stepOf = (t) => step(trained, data, order.slice(t * SIZE, (t + 1) * SIZE), TASK.protocol);
  let loss = stepOf(0);
  const first = [...trained.weights];
  for (let t = 1; t * SIZE < order.length; t++) loss += stepOf(t);
  const f = outputs(trained, tested), moves = stream(7, "transformation");
  const value = (kind) => sensitivity(f, outputs(trained, encoded(grammar, images[kind], shape)), tested.n, shape.nc);
  return { train, test, symbols: train.map((datum) => symbolsOf(grammar, datum)),
    read: train.map((datum) => parsed(grammar, symbolsOf(grammar, datum))), loss, first, last: [...trained.weights],
    error: errorOf(trained, tested), S: value("S"), D: value("D"), law: predicted(net, grammar),
    own: drawGrammar(grammar, stream(7, "grammar")).rules, numbers: chosen(1000, 1000, stream(7, "sample")),
    S_images: Array.from({ length: grammar.L }, (_, l) => test.map((datum) => exchanged(grammar, datum, l + 1, moves))),
    D_images: Array.from({ length: grammar.L }, (_, l) => test.map((datum) => displaced(grammar, datum, l + 1, moves))) };
});
said.crossing = crossing(...CURVE, 0.1);
said.gaussian = [...gaussian(20001, stream(3, "initialisation"))];
said.streams = ROLES.map((role) => stream(0, role)()).concat(stream(1, "order")());
