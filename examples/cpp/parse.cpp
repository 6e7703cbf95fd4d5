// Reads a model and a file, and writes CoNLL-U with tags, lemmas and trees, as `arcwise parse` does:
//
//   parse en.arc letter.txt > letter.conllu
//   parse en.arc words.conllu > trees.conllu
#include <arcwise.h>

#include <exception>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>

namespace {

std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error(path + " cannot be read: look whether it is there.");
  std::ostringstream text;
  text << file.rdbuf();
  return std::move(text).str();
}

arcwise::Treebank parsed(const arcwise::Pipeline& nlp, const std::string& path) {
  if (!path.ends_with(".conllu")) return nlp.parse(contents(path));
  arcwise::ReadOptions reading;
  reading.source = path;
  reading.check_trees = false;  // there need not be any yet
  return nlp.annotate(arcwise::Treebank::read(contents(path), reading));
}

}  // namespace

int main(int count, char** arguments) try {
  if (count != 3) {
    std::cerr << "Usage: parse MODEL FILE. A file is CoNLL-U if its name ends in .conllu, otherwise text.\n";
    return 2;
  }
  const arcwise::Pipeline nlp = arcwise::Pipeline::load(arguments[1]);
  std::string out;
  parsed(nlp, arguments[2]).write(arcwise::Format::ConllU, out);
  std::cout << out;
  return std::cout.flush() ? 0 : 1;
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
