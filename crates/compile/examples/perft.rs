//! Counts a game's perft file: `perft games/x.rules [max-depth]`.
#![allow(
    clippy::all,
    clippy::pedantic,
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::disallowed_methods,
    missing_docs,
    reason = "scratch"
)]
use rulesmith_compile::ReferenceGame;
use rulesmith_game::*;
use rulesmith_rules::{DataSetting, Resolver, Settings, parse};
struct Fs;
impl Resolver for Fs {
    fn read(&self, from: &str, path: &str) -> Result<(String, String), String> {
        let p = std::path::Path::new(from).parent().unwrap().join(path);
        std::fs::read_to_string(&p).map(|t| (p.display().to_string(), t)).map_err(|e| e.to_string())
    }
}
fn count(g: &ReferenceGame, s: &mut rulesmith_compile::State, d: usize) -> u64 {
    if d == 0 {
        return 1;
    }
    if g.outcome(s, Draws::Ignore).unwrap().is_some() {
        return 0;
    }
    let mut joint: Vec<JointMove<_>> = vec![vec![]];
    for r in 0..g.roles().len() {
        let m = g.legal_moves(s, RoleId(r)).unwrap();
        if m.is_empty() {
            continue;
        }
        joint = joint
            .into_iter()
            .flat_map(|j| {
                m.iter().map(move |x| {
                    let mut j = j.clone();
                    j.push((RoleId(r), x.clone()));
                    j
                })
            })
            .collect();
    }
    if joint == vec![vec![]] {
        return 0;
    }
    if d == 1 {
        return joint.len() as u64;
    }
    joint
        .iter()
        .map(|j| {
            let u = g.apply(s, j).unwrap_or_else(|e| panic!("{e:?}"));
            let n = count(g, s, d - 1);
            g.undo(s, u);
            n
        })
        .sum()
}
fn main() {
    let path = std::env::args().nth(1).unwrap();
    let maxleaves: u64 = std::env::args().nth(2).map_or(200000, |s| s.parse().unwrap());
    let text = std::fs::read_to_string(&path).unwrap();
    let load = |params: &[(String, i32)], data: &[DataSetting]| {
        let st = Settings { params: params.to_vec(), data: data.to_vec(), ..Settings::default() };
        let p = parse(&path, &text, &st, &Fs);
        for d in &p.diagnostics.list {
            println!(
                "{:?} {}: {} [{}] {:?}",
                d.severity,
                p.sources.locate(d.span),
                d.message,
                d.code,
                d.help
            );
        }
        p.theory.map(|t| {
            ReferenceGame::new(
                t,
                None,
                std::default::Default::default(),
                std::default::Default::default(),
            )
        })
    };
    let Some(mut g) = load(&[], &[]) else { std::process::exit(1) };
    let s = g.initial().unwrap_or_else(|e| {
        println!("{e:?}");
        std::process::exit(1)
    });
    println!("{}", g.picture(&s));
    println!("{}", g.state_text(&s));
    assert!(g.parse_state(&g.state_text(&s)).unwrap() == s, "state text roundtrip");
    for r in 0..g.roles().len() {
        let m = g.legal_moves(&s, RoleId(r)).unwrap_or_else(|e| {
            println!("{e:?}");
            std::process::exit(1)
        });
        println!(
            "{}: {} {:?}",
            g.roles()[r],
            m.len(),
            m.iter().take(6).map(|m| g.move_text(m)).collect::<Vec<_>>()
        );
    }
    let Ok(pf) = std::fs::read_to_string(path.replace(".rules", ".perft")) else { return };
    let mut state = g.initial().unwrap();
    let mut params: Vec<(String, i32)> = vec![];
    let mut data: Vec<DataSetting> = vec![];
    let mut id = String::new();
    for line in pf.lines() {
        let line = line.split('#').next().unwrap().trim();
        let (w, rest) = line.split_once(' ').unwrap_or((line, ""));
        match w {
            "id" => {
                id = rest.into();
                if !params.is_empty() || !data.is_empty() {
                    params.clear();
                    data.clear();
                    g = load(&[], &[]).unwrap();
                }
                state = g.initial().unwrap();
            }
            "set" => {
                let (n, v) = rest.split_once('=').unwrap();
                params.push((n.trim().into(), v.trim().parse().unwrap()));
                g = load(&params, &data).unwrap();
            }
            "data" => {
                let (n, v) = rest.split_once('=').unwrap();
                let f = Fs.read(&path, v.trim()).unwrap();
                data.push(DataSetting { name: Some(n.trim().into()), file: f.0, text: f.1 });
                g = load(&params, &data).unwrap();
            }
            "state" => match g.parse_state(rest) {
                Ok(s) => {
                    state = s;
                }
                Err(e) => println!("STATE {id}: {e}"),
            },
            "perft" => {
                let mut it = rest.split_whitespace();
                let d: usize = it.next().unwrap().parse().unwrap();
                let n: u64 = it.next().unwrap().parse().unwrap();
                if n > maxleaves {
                    println!("{id} {d} skipped {n}");
                    continue;
                }
                let t = std::time::Instant::now();
                let c = count(&g, &mut state, d);
                println!(
                    "{} {id} {d} {c} want {n} {:.2}s",
                    if c == n { "ok  " } else { "FAIL" },
                    t.elapsed().as_secs_f64()
                );
            }
            _ => {}
        }
    }
}
